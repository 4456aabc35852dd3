// Package acpshim holds the files that the command carries with it.
package acpshim

import _ "embed"

// DefaultConfig returns the default configuration: config.toml and shipped.toml.
func DefaultConfig() string { return Reference + "\n" + shipped }

// Reference is config.toml, which has every key with its default.
//
//go:embed config.toml
var Reference string

// shipped has the shipped todo tools, profiles and rules.
//
//go:embed internal/setup/config/shipped.toml
var shipped string

// StarterConfig is a configuration to start with. Each key in it is commented out.
//
//go:embed internal/setup/config/starter.toml
var StarterConfig string
