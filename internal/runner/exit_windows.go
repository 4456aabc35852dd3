package runner

import (
	"acpshim/internal/process"
	"acpshim/translate/terminals"
)

func exitOf(s process.Status) terminals.Exit { return terminals.Exit{Code: s.Code} }
