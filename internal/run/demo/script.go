// Package demo plays a conversation between a new agent and an old client for people to look at.
// They are two processes with the relay between them.
package demo

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// A step is a message of the agent, and what an old client gets, as [transcript.Message] returns
// it.
type step struct {
	method string
	params json.RawMessage
	oldGot []string
}

//go:embed script.txtar
var source string

// script returns the agent's turn. PlanFile is the absolute path of the file to which it writes its
// next plan.
func script(planFile string) (steps []step) {
	text := strings.ReplaceAll(source, "PLAN_FILE", fileURI(filepath.ToSlash(planFile)))
	for _, f := range txtar.Parse([]byte(text)).Files {
		if f.Name == "old client" {
			steps[len(steps)-1].oldGot = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		} else {
			steps = append(steps, step{method: f.Name, params: f.Data})
		}
	}
	return steps
}

// fileURI returns the URI of an absolute path with slashes, with or without a drive, or on a share.
func fileURI(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/plan.md
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// planFileText is the text of the plan file.
const planFileText = "# Next\n\n- [x] Write the release notes\n- [ ] Tag the release\n"
