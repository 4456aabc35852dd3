// Package translate turns plan updates into the one list that clients without plan support know.
// It is pure: it opens no files, starts no processes and logs nothing.
//
// [Decode] reads a session update. A [PlanSet] keeps the live plans of a session and selects
// the entries to show. [AppendPlan] writes the legacy update. Package document reads
// documents, and package todo follows the calls of todo tools.
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

// AppendPlan appends the legacy plan update, that is the value of params.update, to dst as
// one line of JSON. Meta is the update's _meta, or nil.
func AppendPlan(dst []byte, entries []entry.Entry, meta []byte) []byte {
	dst = entry.Append(append(dst, `{"sessionUpdate":"plan","entries":`...), entries)
	if meta != nil {
		dst = append(append(dst, `,"_meta":`...), meta...)
	}
	return append(dst, '}')
}
