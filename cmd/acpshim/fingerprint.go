package main

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// fingerprintKey is what fingerprints of session ids are made with. It is kept in
// the user's folder for state, so that a session has the same one in a record and
// in all that is exported of it, and nobody else can try ids on them. If it cannot
// be kept it is a new one each time.
func fingerprintKey() []byte {
	fresh := make([]byte, keySize)
	rand.Read(fresh)
	folder, err := new(finder).folder()
	if err != nil {
		return fresh
	}
	name := filepath.Join(filepath.Dir(folder), "fingerprint.key")
	if key := readKey(name); key != nil {
		return key
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fresh
	}
	// It is whole before it has its name, as another run may look for it now.
	f, err := os.CreateTemp(filepath.Dir(name), ".fingerprint-*")
	if err != nil {
		return fresh
	}
	defer os.Remove(f.Name())
	_, err = f.Write(fresh)
	if err = errors.Join(err, f.Close()); err == nil {
		os.Link(f.Name(), name) // fails if another run was faster
	}
	if key := readKey(name); key != nil {
		return key
	}
	return fresh
}

const keySize = 16

// readKey is nil if there is no key in the file.
func readKey(name string) []byte {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	key := make([]byte, keySize)
	if _, err := io.ReadFull(f, key); err != nil {
		return nil
	}
	return key
}
