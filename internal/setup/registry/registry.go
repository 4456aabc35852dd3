// Package registry reads the list of agents that the ACP registry publishes, and returns the
// command that starts an agent. It downloads nothing: [Load] reads a file of the user.
package registry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/text/spelling"
)

// URL is where the registry is published.
const URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"

// MaxSize is the size of the largest registry that is read, in bytes. In 2026 it has 100 KB.
const MaxSize = 4 << 20

// A Registry is a list of agents. The zero value has none.
type Registry struct {
	File   string `json:"-"` // from which it was read, or ""
	Agents []Agent
}

// An Agent is an entry of the registry. Its texts are foreign: show them through a terminal
// writer.
type Agent struct {
	ID, Name, Version, Description string
	Distribution                   json.RawMessage // Command reads it, so that a wrong one harms no other agent
}

// Parse reads registry.json: an object with the list "agents". It keeps nothing of b.
func Parse(b []byte) (Registry, error) {
	var r Registry
	if err := json.Unmarshal(b, &r); err != nil {
		return Registry{}, fmt.Errorf("is not a registry: %w", err)
	}
	if r.Agents == nil {
		return Registry{}, errors.New(`is not a registry: want an object with the list "agents"`)
	}
	return r, nil
}

// IDs returns the ids of all agents, in the order of the file.
func (r Registry) IDs() []string {
	ids := make([]string, 0, len(r.Agents))
	for _, a := range r.Agents {
		ids = append(ids, a.ID)
	}
	return ids
}

// Command returns the program and the arguments that start an agent, and the environment variables
// that it needs, or nil. The caller may change both. It returns an error if there is no such agent,
// if the agent has to be downloaded, or if its entry is wrong.
func (r Registry) Command(id string) (command []string, env map[string]string, err error) {
	i := slices.IndexFunc(r.Agents, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		return nil, nil, r.unknown(id)
	}
	if command, env, err = r.Agents[i].command(); err != nil {
		err = fmt.Errorf("agent %q of %s: %w", id, r.name(), err)
	}
	return command, env, err
}

func (r Registry) name() string { return cmp.Or(r.File, "the registry") }

// unknown returns the error for an unknown id.
func (r Registry) unknown(id string) error {
	err := fmt.Errorf("%s has no agent %q", r.name(), id)
	if near := r.nearest(id); near != "" {
		err = fmt.Errorf("%w (did you mean %q?)", err, near)
	}
	return err
}

// nearest returns the id that id begins, misspells or is a part of, or "".
func (r Registry) nearest(id string) string {
	ids := r.IDs()
	first := func(holds func(s, part string) bool) string {
		if i := slices.IndexFunc(ids, func(s string) bool { return holds(s, id) }); i >= 0 && id != "" {
			return ids[i]
		}
		return ""
	}
	return cmp.Or(first(strings.HasPrefix), spelling.Nearest(id, ids), first(strings.Contains))
}
