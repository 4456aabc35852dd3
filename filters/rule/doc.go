// Package rule changes messages by rules that a user wrote. [Compile] compiles rules into a [Set].
// The [Chain] of a connection applies the set to both directions.
//
// # What a rule sees
//
// A rule gets one message at a time: a request, a notification or a response. Each element of a
// batch is a message, and the batch stays one line. Rules are applied from first to last, and each
// rule sees the result of the one before. No rule is applied to a line that is not a message. Nor
// is one applied to an object that has a name twice, because two programs may read it differently.
//
// Method and update match requests and notifications; response_to matches responses. A rule with
// none of the three matches all messages. Conditions on the client, the agent and the protocol's
// version fail while these are unknown. The client is known from its initialize on, and the agent
// and the version from the response on. They count as the peers sent them, before any rule.
//
// A pointer may name several values, by all elements of a list or by those with a value in a
// member: see [wire.Selector]. A condition matches if one of the values matches. Two conditions may
// match with two different elements.
//
// A value below an object that has a name twice is neither present nor absent.
//
// # What a rule does
//
// The actions run in the order rename, set, append, delete, jq, and then log, hold, drop or reply.
// For another order, write two rules. Each of the first four changes the bytes of one value or
// name, and delete also a comma. They skip a place that the message does not have, and change every
// place that a pointer names. Set adds a member if only the last step is missing. These actions and
// programs add at most 16 MiB to a line.
//
// jq decodes the message and encodes what the program yields. This sorts names, respells strings
// and loses whitespace. Numbers that the program does not compute keep their spelling. A
// notification may become none, one or several messages. A request or response has to stay one. All
// programs for a line have 100 ms, 16 MiB and 4,096 messages together, and no program is run for a
// message over 4 MiB. A single function call in a program has no limit: trust a program as much as
// the command line.
//
// A rule is carried out as a whole or not at all. It fails if a place must not be edited, if a
// program fails, or if the result is not a message of the same kind. Then the message stays as it
// was and goes to the next rule, and [Events].Failed is called, once for each rule.
package rule
