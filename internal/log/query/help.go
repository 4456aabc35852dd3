package query

// Help explains filters to people.
const Help = `A FILTER has one or more terms. All must match. A - before a term inverts it.
  from:agent  from:client      messages that the agent or the client sent;
                               dir: means the same
  kind:request                 requests; also notification, response or other
  method:session/*             this method and its responses, with * and ?
  update:plan*                 this kind of session/update
  id:7                         the request and the response with this id
  session:2                    the second session, or the start of its id
  changed:yes                  messages that acpshim changed
  rule:"a name"                messages that this rule or adapter changed
  failed:yes                   error responses
  since:10s  until:14:30       from second 10 of the run; until 14:30
  text  "some text"            messages or streamed texts with this text,
                               in upper or lower case
If a text begins with -, write -- before it, as in: -- -text

Examples:
  acpshim log show 'update:plan*' -session:2
  acpshim log show -f failed:yes
  acpshim log show --all "permission denied" dir:agent
`
