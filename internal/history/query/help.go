package query

// Help explains filters to people.
const Help = `A FILTER is one or more terms. All of them have to match. - before a term negates it.
  dir:agent  dir:client        who sent the message
  kind:request                 or notification, response, other
  method:session/*             the method, with * and ?; a response has that of its request
  update:plan*                 the kind of a session/update
  id:7                         the id of a request or response
  session:2                    the second session, or the beginning of its id
  changed:yes                  acpshim changed the message
  rule:"a name"                this rule or adapter changed it
  failed:yes                   an error response
  since:10s  until:14:30       seconds since the run began, or a time of day
  text  "some text"            a word or text in the message or in a streamed text,
                               in upper or lower case
Write -- before a text that begins with -, as in: -- -text

Examples:
  acpshim log show 'update:plan*' -session:2
  acpshim log show -f failed:yes
  acpshim log show --all "permission denied" dir:agent
`
