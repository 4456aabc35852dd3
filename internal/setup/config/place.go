package config

import (
	"fmt"
	"strings"
)

// A Place is where a value was set. The zero Place is nowhere.
type Place struct {
	File    string // as it was named to Parse, or a flag
	Line    int    // 0 if the source has no lines
	Profile string // the name of the profile that set it; "" if no profile did

	layer int // the number of the source, from 1
}

// String returns "FILE:LINE", with the profile before it. It leaves out the line of the default,
// which is layer 1.
func (p Place) String() string {
	s := p.File
	if p.Line > 0 && p.layer > 1 {
		s = fmt.Sprintf("%s:%d", s, p.Line)
	}
	if p.Profile != "" {
		s = fmt.Sprintf("%s, %s", p.Profile, s)
	}
	return s
}

// From returns where a setting got its value.
func (c Config) From(path string) Place {
	at, ok := c.from[path]
	if inAgents := strings.HasPrefix(path, "agents."); !ok && !inAgents && c.layers > 0 {
		return inDefault() // it has no agents
	}
	return at
}

// inDefault returns the place of a key that only the default sets. Such places are not stored.
func inDefault() Place { return Place{File: defaultName, layer: 1} }
