package state

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FingerprintKey returns the key for fingerprints of session ids. It is kept in the user's folder
// for state, so a session has the same fingerprint in all records and in everything that is
// exported, and nobody else can test guesses of ids. Where the key cannot be kept safely, each call
// returns a new one.
func FingerprintKey() []byte {
	const size = 16
	if state, err := Folder(); err == nil {
		if key, err := Key(state, filepath.Join(state, "acpshim"), "fingerprint.key", size); err == nil {
			return key
		}
	}
	return random(size)
}

// Key returns the key of size bytes in a file in dir. It creates a missing file, and creates and
// checks the folders below base as [Create] does. It returns an error for a file that is a link,
// that belongs to another user, that others can read or write, or that is too short.
func Key(base, dir, name string, size int) ([]byte, error) {
	return keep(base, dir, name, random(size))
}

func random(size int) []byte {
	fresh := make([]byte, size)
	rand.Read(fresh)
	return fresh
}

// Token is [Key] for a token of 32 bytes that people copy. The file has it as a line of 64
// hexadecimal digits.
func Token(base, dir, name string) (string, error) {
	const size = 32
	text, err := keep(base, dir, name, fmt.Appendf(nil, "%x\n", random(size)))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if raw, err := hex.DecodeString(token); err != nil || len(raw) != size {
		return "", fmt.Errorf("%s: the token has to be 64 hexadecimal digits; delete the file to get a new one", filepath.Join(dir, name))
	}
	return token, nil
}

// keep returns as many bytes of a file as fresh has. It writes fresh to a missing file.
func keep(base, dir, name string, fresh []byte) ([]byte, error) {
	folder, err := openFolder(base, dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	key, err := readKey(folder, name, len(fresh))
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	// The file gets its name when it is complete, because another run may read it at any time.
	temporary := "." + name + "-" + rand.Text()
	f, err := create(folder, temporary)
	if err != nil {
		return nil, inFolder(dir, err)
	}
	defer folder.Remove(temporary)
	_, err = f.Write(fresh)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, inFolder(dir, err)
	}
	linkErr := folder.Link(temporary, name) // fails if another run was faster
	if key, err = readKey(folder, name, len(fresh)); err != nil {
		return nil, errors.Join(err, linkErr)
	}
	return key, nil
}

func readKey(folder *os.Root, name string, size int) ([]byte, error) {
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: a symbolic link, or not a file", name)
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err = isSame(info, opened, err); err == nil {
		err = closedToOthers(opened)
	}
	key := make([]byte, size)
	if err == nil {
		_, err = io.ReadFull(f, key)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return key, nil
}
