package main

import "github.com/rs/zerolog"

// stepAside does nothing: Windows cannot put one program in another's place.
func stepAside([]string, zerolog.Logger) {}
