package redact

// A Shape is a row of the table, for tests.
type Shape struct {
	Vendor, Prefix  string
	Alphabet        byte
	AtLeast, Before int
}

func Shapes() (all []Shape) {
	for _, s := range shapes {
		all = append(all, Shape{s.vendor, s.prefix, s.alphabet, s.atLeast, s.before})
	}
	return all
}
