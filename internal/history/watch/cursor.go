package watch

// A cursor is at one of several items, of which each takes some lines of the screen.
type cursor struct {
	at, top int
	follows bool // stays at the last item
}

// key moves the cursor, and reports whether the key is one for that. A page has so many items.
func (c *cursor) key(key string, n, page int) bool {
	switch key {
	case "down", "j":
		c.at++
	case "up", "k":
		c.at--
	case "pgdown", "space", "ctrl+f":
		c.at += page
	case "pgup", "ctrl+b":
		c.at -= page
	case "home", "g":
		c.at = 0
	case "end", "G":
		c.at = n - 1
	default:
		return false
	}
	c.to(c.at, n)
	return true
}

// to moves the cursor to a place.
func (c *cursor) to(at, n int) {
	c.at = max(min(at, n-1), 0)
	c.follows = c.at >= n-1
}

// drop says that so many of the first items are gone.
func (c *cursor) drop(n int) {
	c.at, c.top = max(c.at-n, 0), max(c.top-n, 0)
}

// window draws the items around the cursor in so many lines, and moves no more of them than it has
// to for the cursor to be seen.
func (c *cursor) window(n, height int, draw func(i int) []string) (lines []string) {
	if n == 0 || height <= 0 {
		return nil
	}
	if c.follows || c.at >= n {
		c.at = n - 1
	}
	first, room := c.at, height-len(draw(c.at))
	for first > 0 && room > 0 {
		if room -= len(draw(first - 1)); room >= 0 {
			first--
		}
	}
	if c.top = max(c.top, first); c.follows || c.top > c.at {
		c.top = min(first, c.at)
	}
	for again := false; ; again = true {
		lines = nil
		for i := c.top; i < n && len(lines) < height; i++ {
			lines = append(lines, draw(i)...)
		}
		if len(lines) >= height || again || c.top <= first {
			return lines[:min(len(lines), height)]
		}
		c.top = first // there is room for earlier ones
	}
}
