package main

import (
	"acpshim/internal/setup/config"

	"github.com/rs/zerolog"
)

// stepAside does nothing: Windows cannot put one program in another's place.
func stepAside(config.Agent, zerolog.Logger) {}
