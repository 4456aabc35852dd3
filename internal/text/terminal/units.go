package terminal

import (
	"fmt"
	"time"
)

// Count returns a number with the word for one or for several.
func Count[N int | int64 | uint64](n N, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// Size returns a number of bytes with its unit, such as 1.2 kB.
func Size(bytes int64) string {
	n, unit := float64(bytes), 0
	for n >= 999.5 && unit < 4 {
		n /= 1000
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %cB", n, " kMGT"[unit])
}

// Duration returns a time in milliseconds, or in seconds with three digits.
func Duration(d time.Duration) string {
	if d > -time.Second && d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}
