/* The one function of bcryptprimitives.dll that Go programs need. Wine 8, which is
 * Debian 12's, has no such library. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
	return RtlGenRandom(data, length);
}
