// Package rule changes messages by rules that a user wrote. [Compile] compiles them into a [Set];
// the [Chain] of a connection applies it to both directions. Bytes go in and bytes come out.
//
// # What a rule sees
//
// A rule is given one message at a time: a request, a notification or a response. The elements of a
// batch are messages; what is left of them stays one line. Rules are applied from first to last,
// and each sees what the one before left. No rule is applied to a line that is not a message, or
// whose outermost object has a name twice, so that two programs may read two messages.
//
// Method and update are about requests and notifications, response_to is about responses. A rule
// with none of the three is about all messages. Conditions on the client, the agent and the
// protocol's version are not met while they are not known: a client is known from its initialize
// on, an agent and the version from the response to it. They are as the peers sent them, before
// any rule.
//
// A pointer may name several values, by each element of a list or by those with a value in a
// member: see [wire.Selector]. It is enough if one of them is as a condition asks. Each condition
// is for itself: two may be met by two elements.
//
// A value below an object that has a name twice is neither there nor absent.
//
// # What a rule does
//
// Its actions are carried out in the order rename, set, append, delete, jq, and then log, hold,
// drop or reply. Where another order is wanted there have to be two rules. Each of the first four
// changes the bytes of one value or name, and delete a comma; a place that a message does not have
// is left out, and of several each is changed. Set adds a member if only the last step to it is
// missing. What the rules add to a line by this, and what programs make, is 16 MiB at most.
//
// jq decodes the message and encodes what the program yields: names are sorted, strings respelled,
// space is lost. Numbers that the program does not compute keep their spelling. Of a notification
// it may yield none, one or several; a request or response has to stay one. All programs that are
// run for a line have 100 ms, 16 MiB and 4,096 messages together, and none is run for a message
// over 4 MiB. What one function of a program takes before it returns is not bounded: a program is
// to be trusted as much as the command line.
//
// A rule is carried out as a whole or not at all: if a place may not be edited, a program fails, or
// what comes out is no message or one of another kind, the message stays as the rule found it and
// goes on to the next, and [Events].Failed is called, once a rule.
package rule
