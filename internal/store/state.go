package store

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Folder returns the folder of records, and what of its path is the user's own affair: that which
// is configured, and "", or else one in the user's folder for state, and that.
func Folder(configured string) (dir, base string, err error) {
	if configured != "" {
		return configured, "", nil
	}
	base, err = StateFolder()
	if err != nil {
		return "", "", fmt.Errorf("there is no folder for records; to name one, set record.folder: %w", err)
	}
	return filepath.Join(base, "acpshim", "records"), base, nil
}

// FingerprintKey returns what fingerprints of session ids are made with. It is kept in the user's
// folder for state, wherever records are: so a session has the same one in a record and in all
// that is exported of it, and nobody else can try ids on them. Where it cannot be kept safely it is
// a new one each time.
func FingerprintKey() []byte {
	const size = 16
	if state, err := StateFolder(); err == nil {
		if key, err := Key(state, filepath.Join(state, "acpshim"), "fingerprint.key", size); err == nil {
			return key
		}
	}
	fresh := make([]byte, size)
	rand.Read(fresh)
	return fresh
}

// StateFolder is the user's folder for state.
func StateFolder() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	dir, err := os.UserHomeDir()
	dir = filepath.Join(dir, ".local", "state")
	switch runtime.GOOS {
	case "windows":
		dir, err = os.UserCacheDir() // %LocalAppData%
	case "darwin":
		dir, err = os.UserConfigDir() // ~/Library/Application Support: nobody cleans it up
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("%q in place of a home: want an absolute path", dir)
	}
	return dir, err
}
