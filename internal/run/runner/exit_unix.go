//go:build unix

package runner

import (
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/system/process"

	"golang.org/x/sys/unix"
)

func exitOf(s process.Status) terminals.Exit {
	if s.Signal != 0 {
		return terminals.Exit{Signal: unix.SignalName(s.Signal)}
	}
	return terminals.Exit{Code: s.Code}
}
