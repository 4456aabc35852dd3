// Package translate turns plan updates into the one list that clients without plan support know.
// It is pure: it opens no files, starts no processes and logs nothing.
//
// It holds updates, plans and what clients get of them:
//
//   - An [Update] is what the agent says about one plan. [Decode] reads it from a session update.
//   - A [PlanSet] has the live plans of a session. [PlanSet.Apply] changes it by an update, and
//     [PlanSet.AskAbout] by a question about a plan.
//   - A [Policy] selects the plans to show. [PlanSet.Compose] returns their entries, and
//     [AppendPlan] writes them as the legacy plan.
//   - A [Message] is the text of a document, or of a plan for clients that draw no plans.
//     [PlanSet.Messages] returns what a client needs.
//
// Package document reads documents, package todo follows the calls of todo tools, and package plans
// is the adapter that uses all of these.
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
