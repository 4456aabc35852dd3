package runner

import (
	"acpshim/internal/adapters/terminals"
	"acpshim/internal/system/process"
)

func exitOf(s process.Status) terminals.Exit { return terminals.Exit{Code: s.Code} }
