// Package demo plays a conversation between an agent of today and a client of
// yesterday, two real processes with the relay between them, for a person to
// look at.
package demo

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// A step is a message of the agent, and what an old client gets of it as
// [transcript.Message] has it.
type step struct {
	method string
	params json.RawMessage
	oldGot []string
}

//go:embed script.txtar
var source string

// script is the agent's turn. PlanFile is the absolute path of the file that
// it writes its next plan to.
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
