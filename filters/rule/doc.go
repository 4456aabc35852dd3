// Package rule changes messages by rules that a user wrote. [Compile] checks
// them all and returns a [Set]; the [Chain] of a connection applies it to both
// directions. Everything is bytes in and bytes out.
//
// # What a rule sees
//
// A rule meets one message at a time: a request, a notification or a response.
// The elements of a batch are messages; what is left of them stays one line.
// Rules are met from first to last, and each sees what the one before left. A
// line that is no message, or that two readers may read differently because its
// outermost object has a name twice, meets none.
//
// Method and update are about requests and notifications, response_to is about
// responses. A rule with none of the three is about all messages. Conditions on
// the client, the agent and the protocol's version fail while initialize has not
// told them; a client is known from its request on, an agent from its answer on.
// They are as the two said them, before any rule.
//
// A value below an object that has a name twice is neither there nor absent.
//
// # What a rule does
//
// Its actions are carried out in the order rename, set, append, delete, jq, and
// then log, hold, drop or reply. One that is to have another order is two rules.
// Each of the first four changes the bytes of one value or key, and delete a
// comma; what it names and the message does not have, it leaves. Set adds a
// member if that is all that is missing.
//
// jq decodes the message and encodes what the program yields: names are sorted,
// strings respelled, space goes. Numbers that the program does not compute keep
// their spelling. Of a notification it may yield none, one, or several; a
// request or response has to stay one. All programs that a line meets have 100
// ms, 16 MiB and 4,096 messages together, and a message over 4 MiB meets none.
// What one function of a program takes before it returns is not bounded: a
// program is to be trusted as much as the command line.
//
// A rule is carried out as a whole or not at all: if a place may not be edited,
// a program fails, or what comes out is no message or another kind of message,
// the message stays as the rule found it and goes on to the next, and
// [Events].Failed is told, once a rule.
//
// # What it costs
//
// Most lines are decided by their beginning and leave at once. Where rules ask
// for values, a line is followed to where these may be, and in them the rarest
// string that each rule needs is searched for; only a line that has one is read.
package rule
