// Package demo plays a conversation between an agent of today and a client of
// yesterday, two real processes with the relay between them, for a person to
// look at.
package demo

import (
	"net/url"
	"path/filepath"
	"strings"
)

// A step is something that the agent does, and what an old client gets of it
// as draw draws it.
type step struct {
	update map[string]any // a session/update; nil asks for permission
	oldGot string
}

// script is the agent's turn. PlanFile is the absolute path of the file that
// it writes its next plan to.
func script(planFile string) []step {
	const design = "# Fix the parser\n\nMind comments in strings.\n\n- [ ] Reproduce\n"
	uri := fileURI(filepath.ToSlash(planFile))
	return []step{
		{markdown("design", "# Fix the parser\n"), `
			plan
			  [ ] Fix the parser`},
		{markdown("design", design), `
			plan
			  [ ] Reproduce`},
		{markdown("design", design+"- [ ] Patch the lexer\n"), `
			plan
			  [ ] Reproduce
			  [ ] Patch the lexer`},
		{nil, `
			agent_message_chunk
			  # Fix the parser

			  Mind comments in strings.

			  - [ ] Reproduce
			  - [ ] Patch the lexer
			session/request_permission
			  Implement this plan?`},
		{items("work", "in_progress", "Reproduce", "pending", "Patch the lexer"), `
			plan
			  [~] Reproduce
			  [ ] Patch the lexer`},
		{items("work", "completed", "Reproduce", "in_progress", "Patch the lexer"), `
			plan
			  [x] Reproduce
			  [~] Patch the lexer`},
		{legacy("in_progress", "Run the linter"), `
			plan
			  [x] Reproduce
			  [~] Patch the lexer
			  [~] Run the linter`},
		{map[string]any{"sessionUpdate": "plan_removed", "planId": "work"}, `
			plan
			  [~] Run the linter`},
		{map[string]any{"sessionUpdate": "plan_removed", "planId": "design"}, ``},
		{legacy("completed", "Run the linter"), `
			plan
			  [x] Run the linter`},
		{update("file", "next", "uri", uri), `
			plan
			  [x] Write the release notes
			  [ ] Tag the release`},
	}
}

// fileURI is the URI of an absolute path with slashes: with a drive or without,
// or on a share.
func fileURI(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/plan.md
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// planFileText is what the agent writes to its plan file.
const planFileText = "# Next\n\n- [x] Write the release notes\n- [ ] Tag the release\n"

func update(kind, id, member string, value any) map[string]any {
	return map[string]any{
		"sessionUpdate": "plan_update",
		"plan":          map[string]any{"type": kind, "planId": id, member: value},
	}
}

func markdown(id, text string) map[string]any { return update("markdown", id, "content", text) }

func items(id string, statusAndContent ...string) map[string]any {
	return update("items", id, "entries", entries(statusAndContent))
}

func legacy(statusAndContent ...string) map[string]any {
	return map[string]any{"sessionUpdate": "plan", "entries": entries(statusAndContent)}
}

func entries(statusAndContent []string) []map[string]string {
	var list []map[string]string
	for i := 0; i < len(statusAndContent); i += 2 {
		list = append(list, map[string]string{"status": statusAndContent[i], "content": statusAndContent[i+1], "priority": "medium"})
	}
	return list
}
