package main

import (
	"crypto/rand"
	"path/filepath"

	"acpshim/internal/record"
)

// fingerprintKey is what fingerprints of session ids are made with. It is kept in
// the user's folder for state, wherever records are, so that a session has the same
// one in a record and in all that is exported of it, and nobody else can try ids on
// them. If it cannot be kept there safely it is a new one each time.
func fingerprintKey() []byte {
	const size = 16
	if state, err := stateFolder(); err == nil {
		if key, err := record.Key(state, filepath.Join(state, "acpshim"), "fingerprint.key", size); err == nil {
			return key
		}
	}
	fresh := make([]byte, size)
	rand.Read(fresh)
	return fresh
}
