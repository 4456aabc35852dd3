package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// A Request is one of the agent, with the client's path.
type Request struct {
	Session string
	Path    string   // absolute and clean
	Folders []string // nothing else is touched
	IsWrite bool
	Text    string // to write

	// The first line to read, and how many: line 0 is the first one, too, and a negative limit is
	// none.
	Line, Limit int
}

// Errors that a Disk returns, or wraps.
var (
	ErrOutside = errors.New("outside the session's folders")
	ErrRange   = errors.New("there is no such line")
)

// size is about how many bytes are kept of a request.
func (r Request) size() int { return len(r.Session) + len(r.Path) + len(r.Text) }

// read reads a request. The errors are errParams.
func read(m *dispatch.Message) (r Request, err error) {
	params := m.Params()
	path, ok := wire.Exact(params.Raw("path"))
	r = Request{Session: m.Session, Path: path, IsWrite: m.Method == writeMethod}
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

// elements are the names in a path. A .. is refused, as behind a link it leads elsewhere than it
// seems, and behind a file it hides from rules which file is meant.
func elements(path string) []string {
	return strings.FieldsFunc(path, isSeparator)
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// isFolder reports whether a path can be no file's, going by its end.
func isFolder(path string) bool {
	all := elements(path)
	return isSeparator(rune(path[len(path)-1])) || all[len(all)-1] == "."
}

// An errParams is what is wrong with the params of a request.
type errParams string

func (e errParams) Error() string { return string(e) }

// count reads a number of 32 bits, which may be absent.
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
	notFound      = -32002 // there is no such file: agents take it for a new one
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

// respond appends the response to a request that was done, or not.
func (a *Adapter) respond(dst, id []byte, r Request, text string, err error) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	switch {
	case err != nil:
		dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), int64(codeOf(err)), 10)
		dst = append(wire.Quote(append(dst, `,"message":`...), a.message(r, err)), '}')
	case r.IsWrite:
		dst = append(dst, `,"result":{}`...)
	default:
		dst = append(wire.Quote(append(dst, `,"result":{"content":`...), text), '}')
	}
	return append(dst, "}\n"...)
}

// message says why a request was not done, with paths as the agent spells them.
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
