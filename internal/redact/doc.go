// Package redact takes secrets out of messages of the Agent Client Protocol and of texts around
// them, so that a record of a conversation can be given away. It reads a text once, in time linear
// in its length, and looks for what tables have: places of the protocol and names that say what a
// value is, in any syntax (names.txt), arguments of known programs (commandtable.go), prefixes
// of vendors' tokens (shapes.txt), and keys, hashes and users of URLs (formtable.go).
//
// Strings are compared unescaped, and JSON in a string is read as JSON. An environment or headers
// in a text that is no JSON go as a whole. Otherwise only the span of a secret is replaced: by a
// marker such as "[redacted:env]", a session id by a fingerprint ("session-1f3a9c2b40d7"), a user's
// name in a path by "user". Every other byte stays.
//
// What it cannot know: a secret without a telling name, place or shape (with [Options.Strict] all
// that is long and opaque goes), one in pieces over several chunks or encoded, and what is before
// its name in a text that is cut off there; a session id before the message that names it, or one
// of under eight bytes elsewhere than under its name (who runs all lines through [Redactor.Redact]
// twice finds all, also those that only a fingerprint by the same salt is left of); the user's name
// elsewhere than in a path, and names of projects and hosts.
//
// It rather takes too much than too little. What is true, false, null, empty or a switch stays, and
// so do variables and headers such as NODE_ENV if their values are paths or words.
package redact
