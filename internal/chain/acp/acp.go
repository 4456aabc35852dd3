// Package acp names the words of the Agent Client Protocol. Other packages do not spell them.
//
// The constants are untyped, so they can be compared and concatenated with any string. They are
// words of version 1 of the protocol unless a comment says otherwise. The words that belong to one
// agent or client, such as those in _meta, are not here.
package acp
