package redact

// A Shape is a row of the table of vendors.
type Shape struct {
	Vendor, Prefix, Alphabet string
	AtLeast, Before          int
}

// Shapes returns the rows of the table.
func Shapes() (all []Shape) {
	for _, s := range vendorTokens() {
		all = append(all, Shape{s.vendor, s.prefix, s.alphabet, s.atLeast, s.minBefore})
	}
	return all
}
