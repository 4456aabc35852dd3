package redact

import (
	"strconv"
	"strings"
)

// A Shape is a row of the table, for tests.
type Shape struct {
	Vendor, Prefix  string
	Alphabet        byte
	AtLeast, Before int
}

// Shapes are the rows of the table of vendors.
func Shapes() (all []Shape) {
	for row := range rows(shapeTable) {
		fields := strings.Fields(row)
		for _, f := range fields[1:] {
			at := strings.LastIndexByte(f, '~')
			s := Shape{Vendor: fields[0], Prefix: f[:at], Alphabet: f[at+1]}
			if n := strings.IndexByte(s.Prefix, '~'); n > 0 && n < 3 {
				s.Before, _ = strconv.Atoi(s.Prefix[:n])
				s.Prefix = s.Prefix[n+1:]
			}
			s.AtLeast, _ = strconv.Atoi(f[at+2:])
			all = append(all, s)
		}
	}
	return all
}
