package store

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

// Key returns the key of size bytes in the file of that name in dir, and makes it if
// it is not there. Folders below base are made and checked as in [Create]. A
// file that is a link or another user's, or that others can read or write, is an error,
// as is one that is too short.
func Key(base, dir, name string, size int) ([]byte, error) {
	fresh := make([]byte, size)
	rand.Read(fresh)
	return keep(base, dir, name, fresh)
}

// Token is Key for a token of 32 bytes that people copy: 64 hexadecimal digits, on a line of their
// own in the file.
func Token(base, dir, name string) (string, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	text, err := keep(base, dir, name, fmt.Appendf(nil, "%x\n", fresh))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if raw, err := hex.DecodeString(token); err != nil || len(raw) != len(fresh) {
		return "", fmt.Errorf("%s: the token has to be 64 hexadecimal digits; delete the file to get a new one", filepath.Join(dir, name))
	}
	return token, nil
}

// keep returns what a file has, at least as many bytes as fresh has, which it gets if it is not
// there.
func keep(base, dir, name string, fresh []byte) ([]byte, error) {
	size := len(fresh)
	folder, err := openFolder(base, dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	key, err := readKey(folder, name, size)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	// It is whole before it has its name, as another run may look for it now.
	temporary := "." + name + "-" + rand.Text()
	f, err := folder.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, inFolder(dir, err)
	}
	defer folder.Remove(temporary)
	_, err = f.Write(fresh)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, inFolder(dir, err)
	}
	linked := folder.Link(temporary, name) // fails if another run was faster
	if key, err = readKey(folder, name, size); err != nil {
		return nil, errors.Join(err, linked)
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
	if err == nil && !os.SameFile(opened, info) {
		err = errors.New("was replaced while it was opened")
	}
	if err == nil {
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
