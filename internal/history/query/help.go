package query

// Help tells people what a query is.
const Help = `A FILTER is terms that all have to hold; a minus before a term negates it:
  dir:agent dir:client         who sent it
  kind:request                 or notification, answer, other
  method:session/*             a glob; of an answer, that of its request
  update:plan*                 of session/update, which one
  id:7  session:2              the second session, or the beginning of its id
  changed:yes  rule:"a name"   by acpshim; which rule or translation did it
  failed:yes                   answers that are errors
  since:10s  until:14:30       since the beginning, or by the clock
  text  "some text"            is in the line, or in what a peer says in pieces,
                               without regard to case
A text that is left out stands behind --, so that it is no flag: -- -text

Examples:
  acpshim log show 'update:plan*' -session:2
  acpshim log show failed:yes since:1m
  acpshim log grep --all "permission denied" dir:agent
`
