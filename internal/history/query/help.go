package query

// Help explains filters to people.
const Help = `A FILTER is one or more terms. All must match. - before a term inverts it.
  from:agent  from:client      messages that the agent or the client sent;
                               dir: means the same
  kind:request                 requests; or notification, response, other
  method:session/*             this method and its responses, with * and ?
  update:plan*                 this kind of session/update
  id:7                         the request and the response with this id
  session:2                    the second session, or the beginning of its id
  changed:yes                  messages that acpshim changed
  rule:"a name"                messages that this rule or adapter changed
  failed:yes                   error responses
  since:10s  until:14:30       seconds since the run began, or a time of day
  text  "some text"            messages or streamed texts with this text,
                               in upper or lower case
Write -- before a text that begins with -, as in: -- -text

Examples:
  acpshim log show 'update:plan*' -session:2
  acpshim log show -f failed:yes
  acpshim log show --all "permission denied" dir:agent
`
