package store

import (
	"fmt"
	"path/filepath"

	"acpshim/internal/system/state"
)

// Folder returns the folder of records: the configured one, or by default one in the user's folder
// for state. Base is the argument of that name for [Create].
func Folder(configured string) (dir, base string, err error) {
	if configured != "" {
		return configured, "", nil
	}
	base, err = state.Folder()
	if err != nil {
		return "", "", fmt.Errorf("there is no folder for records; to name one, set record.folder: %w", err)
	}
	return filepath.Join(base, "acpshim", "records"), base, nil
}
