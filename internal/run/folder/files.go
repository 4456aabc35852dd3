package folder

import (
	"io/fs"
	"strings"

	"acpshim/internal/adapters/files"
)

// Files is a [files.Disk] of texts by path, without folders and links. Transcripts use it.
type Files map[string]string

// Start implements files.Disk. It calls done before it returns.
func (d Files) Start(r files.Request, done func(text string, err error)) error {
	text, err := d.do(r)
	done(text, err)
	return nil
}

func (d Files) do(r files.Request) (string, error) {
	text, ok := d[r.Path]
	switch {
	case !Holds(r.Folders, r.Path):
		return "", files.ErrOutside
	case r.IsWrite:
		d[r.Path] = r.Text
		return "", nil
	case !ok:
		return "", fs.ErrNotExist
	}
	return Lines(strings.NewReader(text), r.Line, r.Limit)
}
