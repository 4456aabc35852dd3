// Package redact takes secrets out of messages of the Agent Client Protocol and
// of texts around them, so that a record of a conversation can be given away.
//
// It knows the places where the protocol carries secrets (the environment and
// headers of MCP servers and providers, the environment of terminals, what
// authenticate sends, the proxy configuration that editors put into _meta),
// names that say what a value is (authorization, api_key, OPENAI_API_KEY), the
// shapes of well-known tokens, private keys, URLs and commands with passwords, ids
// of sessions, and home folders. Strings are compared unescaped, and JSON in a
// string is read as JSON. Environments and headers are found in texts that are no
// clean JSON, too: cut off, escaped, over several lines, or as Rust, Python,
// JavaScript and Go print them. Only the span of a secret is replaced: by a marker such
// as "[redacted:env]", a session id by a fingerprint ("session-1f3a9c2b40d7"), a
// user's name in a path by "user". Every other byte stays.
//
// What it cannot know:
//
//   - a secret without a telling name, place or shape: a word as a password in prose, what
//     "API key is" stands before, an answer to a question, a list named "tokens", a short
//     password behind -u in a command that is none of curl or wget and names no URL;
//   - a secret in pieces: over several chunks of a streamed message, or several
//     reads of a text;
//   - a secret that is encoded: base64, hex, compressed, an image of a screen, a
//     percent-encoded URL, an escaped name in JSON that is broken;
//   - what is before the name that tells of it, in a text that is cut off at its
//     beginning;
//   - a session id before the message that names it, or one of under eight bytes
//     elsewhere than under a name such as sessionId. Who has all lines can run
//     them through [Redactor.JSON] twice: the second time knows all ids, also
//     those that only a fingerprint by the same salt is left of, if they are
//     letters, digits, "-" and "_";
//   - the name of the user elsewhere than in a path, and the names of projects,
//     hosts and people;
//   - whether code has a password or a variable behind "password =": what looks like
//     a word or a call stays, unless it is quoted.
//
// It rather takes too much than too little: a harmless environment variable goes
// too, and so does a whole object under a name such as credentials. What is true,
// false, null or empty is no secret and stays.
package redact
