package release

import (
	"bytes"
	"fmt"
	"strings"
)

// NoticesName is the name of the file with the licences of others.
const NoticesName = "THIRD-PARTY-NOTICES"

// A Notice is a text that has to go with a binary because of what is linked into it.
type Notice struct {
	Of   string // the module and its version
	Text []byte
}

// Notices puts notices into one text.
func Notices(notices []Notice) []byte {
	var out bytes.Buffer
	out.WriteString("acpshim contains the software below, each under its own licence.\n")
	for _, n := range notices {
		rule := strings.Repeat("=", 80)
		fmt.Fprintf(&out, "\n%s\n%s\n%s\n\n%s\n", rule, n.Of, rule, bytes.TrimSpace(n.Text))
	}
	return out.Bytes()
}

// Dated gives a manual page of docs/man the date and the version of a build. It is an error if the
// page has no place for them.
func (b Build) Dated(page File) (File, error) {
	before, after, ok := bytes.Cut(page.Data, []byte(` "1" "" "acpshim" `))
	if !ok {
		return File{}, fmt.Errorf("%s: has no place for a date: want a line .TH NAME \"1\" \"\" \"acpshim\" \"\"", page.Name)
	}
	page.Data = fmt.Appendf(nil, `%s "1" "%s" "acpshim %s" %s`, before, b.Time.Format("2006-01-02"), b.Version, after)
	return page, nil
}
