package folder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"acpshim/internal/adapters/files"
)

// Bounds on reading a file, in bytes.
const (
	MaxText = 4 << 20 // that is returned; as JSON it can be six times as large
	maxScan = 1 << 30 // before the first line
)

// Errors of [Lines].
var (
	errLarge   = fmt.Errorf("more than %d MiB: ask for a part with line and limit", MaxText>>20)
	errFar     = fmt.Errorf("the line is not within the first %d GiB", maxScan>>30)
	errNotText = errors.New("is not a text in UTF-8")
)

// read returns the lines of a file that a request asks for.
func read(dir *os.Root, name string, r files.Request) (string, error) {
	f, info, err := Open(dir, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if r.Limit < 0 && r.Line <= 1 && info.Size() > MaxText {
		return "", errLarge
	}
	return Lines(f, r.Line, r.Limit)
}

// Lines returns up to limit lines of a text, from line number line, with their line ends. A
// negative limit means all lines. The first line is 1, and 0 means the same. After the newline of
// the last line there is one more, empty line; a line after that is a [files.ErrRange].
func Lines(from io.Reader, line, limit int) (string, error) {
	in := bufio.NewReader(io.LimitReader(from, maxScan))
	for n := 1; n < line; {
		part, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			n++
		case err == io.EOF && isMore(from):
			return "", errFar
		case err == io.EOF && len(part) == 0:
			return "", fmt.Errorf("%w: line %d of a file with %d", files.ErrRange, line, n-1)
		case err == io.EOF:
			return "", fmt.Errorf("%w: line %d of a file with %d", files.ErrRange, line, n)
		case err != bufio.ErrBufferFull:
			return "", err
		}
	}
	return take(io.MultiReader(in, from), limit)
}

// isMore reports whether a reader is not at its end.
func isMore(from io.Reader) bool {
	n, _ := from.Read(make([]byte, 1))
	return n > 0
}

// take returns up to limit lines, or all.
func take(from io.Reader, limit int) (string, error) {
	in := bufio.NewReader(from)
	var text bytes.Buffer
	for n := 0; limit < 0 || n < limit; {
		part, err := in.ReadSlice('\n')
		text.Write(part)
		switch {
		case text.Len() > MaxText:
			return "", errLarge
		case err == nil:
			n++
		case err == io.EOF:
			limit = n
		case err != bufio.ErrBufferFull:
			return "", err
		}
	}
	if !utf8.Valid(text.Bytes()) {
		return "", errNotText
	}
	return text.String(), nil
}
