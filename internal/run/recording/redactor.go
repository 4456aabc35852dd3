package recording

import (
	"os"
	"os/user"

	"acpshim/internal/record/redact"
	"acpshim/internal/setup/config"
	"acpshim/internal/system/state"
)

// NewRedactor returns a redactor as configured. A strict one also removes random words.
func NewRedactor(c config.Config, strict bool) (*redact.Redactor, error) {
	o := redact.Options{Keys: c.Redact.Keys, Patterns: c.Redact.Patterns, Salt: state.FingerprintKey(), Strict: strict}
	o.Home, _ = os.UserHomeDir()
	if u, err := user.Current(); err == nil {
		o.User = u.Username
	}
	return redact.New(o)
}
