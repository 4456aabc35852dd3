package config

import (
	"fmt"
	"strings"
)

// A Place is where a value was set. The zero Place is nowhere.
type Place struct {
	File    string // as it was named to Parse, or a flag
	Line    int    // 0 where there are no lines
	Profile string // what the profile that set it is called by; "" if it was none

	layer int // the number of the source, from 1
}

// String is "FILE:LINE", with the profile before it. Of the default, which is
// layer 1, nobody needs the line.
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
		return inDefault() // which has no agents
	}
	return at
}

// inDefault is the place of what only the default sets. It is kept for none of these.
func inDefault() Place { return Place{File: defaultName, layer: 1} }
