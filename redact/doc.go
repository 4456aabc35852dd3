// Package redact takes secrets out of messages of the Agent Client Protocol and of texts
// around them, so that a record of a conversation can be given away.
//
// A text is read once, from its beginning to its end, in time linear in its length. Tables
// say what is looked for:
//
//   - places of the protocol: the environment and headers of MCP servers, providers and
//     terminals, what authenticate sends, ids of sessions (nametable.go);
//   - names that say what a value is, in any syntax: password=x, "apiKey": "x",
//     <token>x</token>, define('SECRET', 'x'), | password | x | (nametable.go);
//   - arguments of known programs, and of any program behind a flag with such a name: of a
//     text and of an argv alike (commandtable.go);
//   - the prefixes of vendors' tokens (shapetable.go), and private keys, hashes of
//     passwords, JSON web tokens, lines of password files, users of URLs (special.go).
//
// Strings are compared unescaped, and JSON in a string is read as JSON. An environment or
// headers in a text that is no JSON go as a whole, to their end. Otherwise only the span of
// a secret is replaced: by a marker such as "[redacted:env]", a session id by a fingerprint
// ("session-1f3a9c2b40d7"), a user's name in a path by "user". Every other byte stays.
//
// What it cannot know:
//
//   - a secret without a telling name, place or shape: a word as a password in prose; with
//     [Options.Strict] everything goes that is long and opaque;
//   - a secret in pieces over several chunks of a streamed message, one that is encoded, and
//     what is before its name in a text that is cut off at its beginning;
//   - a session id before the message that names it, or one of under eight bytes elsewhere
//     than under a name such as sessionId. Who has all lines can run them through
//     [Redactor.JSON] twice: the second time knows all ids, also those that only a
//     fingerprint by the same salt is left of;
//   - the name of the user elsewhere than in a path, and the names of projects, hosts and
//     people.
//
// It rather takes too much than too little. What is true, false, null, empty or a switch is
// no secret and stays, and so do variables and headers such as NODE_ENV and Content-Type
// if their values are paths or words.
package redact
