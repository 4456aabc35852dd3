package folder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"acpshim/translate/files"
)

// Bounds on what is read of a file, in bytes.
const (
	MaxText = 4 << 20 // that is returned; six times as many as JSON
	maxScan = 1 << 30 // that is looked through for the first line
)

// Errors of [Lines] say what would be right.
var (
	errLarge  = fmt.Errorf("more than %d MiB: ask for a part with line and limit", MaxText>>20)
	errFar    = fmt.Errorf("the line is not within the first %d GiB", maxScan>>30)
	errNoText = errors.New("is not a text in UTF-8")
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

// Lines returns lines of a text, from number line on, with their ends as they are: as many as the
// limit, or all if it is negative. The first line is 1, and so is 0. Behind the end of the last
// line begins one more, which is empty; to begin further on is a [files.ErrRange].
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

// take returns the next lines.
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
		return "", errNoText
	}
	return text.String(), nil
}
