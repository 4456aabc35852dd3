package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A Request is a file request of the agent, with the path as the client spells it.
type Request struct {
	Session string
	Path    string   // absolute and clean
	Folders []string // the folders of the session
	IsWrite bool
	Text    string // the text to write

	// The first line to read, and the number of lines. Line 0 is the same as line 1. A negative
	// limit means no limit.
	Line, Limit int
}

// Errors of a Disk.
var (
	ErrOutside = errors.New("outside the session's folders")
	ErrRange   = errors.New("there is no such line")
)

// size returns about how many bytes a request takes.
func (r Request) size() int { return len(r.Session) + len(r.Path) + len(r.Text) }

// read reads a request. Its errors are errParams.
func read(m *dispatch.Message) (r Request, err error) {
	params := m.Params()
	path, ok := wire.Exact(params.Raw("path"))
	r = Request{Session: m.Session, Path: path, IsWrite: m.Method == acp.FSWriteTextFile}
	switch {
	case !ok:
		return r, errParams("want a path, as a text in Unicode")
	case !filepath.IsAbs(path):
		return r, errParams("want an absolute path, and no URI")
	case strings.ContainsRune(path, 0):
		return r, errParams("want a path without a NUL")
	case isFolder(path):
		return r, errParams("is the name of a folder: want that of a file")
	case slices.Contains(elements(path), ".."):
		return r, errParams("want a path without ..")
	}
	r.Path = filepath.Clean(path)
	if r.IsWrite {
		if r.Text, ok = wire.Exact(params.Raw("content")); !ok {
			return r, errParams("want content, as a text in Unicode")
		}
		return r, nil
	}
	var isLine, isLimit bool
	r.Line, isLine = count(params.Raw("line"), 1)
	r.Limit, isLimit = count(params.Raw("limit"), -1)
	if !isLine || !isLimit {
		return r, errParams("want line and limit as whole numbers, from 0 to 4294967295")
	}
	return r, nil
}

// elements returns the names in a path. Paths with .. are refused: after a link, .. leads elsewhere
// than it seems, and after a file name it hides from rules which file is meant.
func elements(path string) []string {
	return strings.FieldsFunc(path, isSeparator)
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// isFolder reports whether a path ends like a folder.
func isFolder(path string) bool {
	all := elements(path)
	return isSeparator(rune(path[len(path)-1])) || all[len(all)-1] == "."
}

// An errParams says what is wrong with the params of a request.
type errParams string

func (e errParams) Error() string { return string(e) }

// count reads a number of 32 bits. It returns absent if there is none.
func count(raw []byte, absent int) (n int, ok bool) {
	if wire.IsAbsent(raw) {
		return absent, true
	}
	number, err := strconv.ParseUint(wire.ID(raw), 10, 32)
	return int(number), err == nil
}

// Codes of errors.
const (
	invalidParams = -32602
	notFound      = -32002 // agents take this for a new file
	internalError = -32603
)

func codeOf(err error) int {
	var params errParams
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound
	case errors.As(err, &params), errors.Is(err, ErrOutside), errors.Is(err, ErrRange), errors.Is(err, errSession):
		return invalidParams
	}
	return internalError
}

// respond returns the response to a request.
func (a *Adapter) respond(id []byte, r Request, text string, err error) []byte {
	switch {
	case err != nil:
		return wire.Refusal(id, codeOf(err), a.message(r, err))
	case r.IsWrite:
		return wire.Result(id, []byte("{}"))
	}
	content := append(make([]byte, 0, len(`{"content":}`)+wire.QuotedLen(text)), `{"content":`...)
	return wire.Result(id, append(wire.Quote(content, text), '}'))
}

// message describes an error, with paths as the agent spells them.
func (a *Adapter) message(r Request, err error) string {
	text := fmt.Sprintf("%q: %v", a.spell(r.Path), err)
	if errors.Is(err, ErrOutside) {
		folders := make([]string, len(r.Folders))
		for i := range folders {
			folders[i] = strconv.Quote(a.spell(r.Folders[i]))
		}
		text += ", which are " + strings.Join(folders, ", ")
	}
	return text
}

func (a *Adapter) spell(path string) string {
	if a.opts.Spell == nil {
		return path
	}
	return a.opts.Spell(path)
}
