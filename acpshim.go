// Package acpshim holds what the command carries with it.
package acpshim

import _ "embed"

// DefaultConfig is config.toml: the default of every key, and its manual.
//
//go:embed config.toml
var DefaultConfig string
