// Package state keeps files for acpshim below the user's folder for state: keys, tokens and
// reports. Nobody but the user can read them, or replace a folder on the way to them.
package state

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Folder returns the user's folder for state.
func Folder() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	dir, err := os.UserHomeDir()
	dir = filepath.Join(dir, ".local", "state")
	switch runtime.GOOS {
	case "windows":
		dir, err = os.UserCacheDir() // %LocalAppData%
	case "darwin":
		dir, err = os.UserConfigDir() // ~/Library/Application Support, which nobody cleans up
	}
	if err == nil && !filepath.IsAbs(dir) {
		err = fmt.Errorf("the home folder is %q: want an absolute path", dir)
	}
	return dir, err
}
