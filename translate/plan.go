// Package translate turns the plans of new agents into the one plan that old clients know:
// bytes and values in, bytes and values out. It reads no file, starts nothing and logs
// nothing.
//
// [Decode] reads a session update, package document reads a document, package todo follows
// the calls of todo tools, a [PlanSet] keeps the live plans of a session and composes them,
// and [AppendPlan] writes the legacy update.
package translate

import (
	"net/url"
	"strings"

	"acpshim/translate/entry"
)

// UnreadableFile returns the entry that stands for a plan file that cannot be read.
func UnreadableFile(uri string) entry.Entry {
	name := uri
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Host == "" && u.Path != "" {
		name = u.Path
	}
	name = strings.Join(strings.Fields(name), " ")
	return entry.Entry{Content: "Plan file: " + name[:min(len(name), 1000)], Priority: entry.Medium, Status: entry.Pending}
}

// AppendPlan appends the legacy plan update, the object that goes under params.update, as
// one line of JSON. Meta is the update's _meta or nil.
func AppendPlan(dst []byte, entries []entry.Entry, meta []byte) []byte {
	dst = entry.Append(append(dst, `{"sessionUpdate":"plan","entries":`...), entries)
	if meta != nil {
		dst = append(append(dst, `,"_meta":`...), meta...)
	}
	return append(dst, '}')
}
