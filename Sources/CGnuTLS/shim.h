// What the engine asks GnuTLS by itself: whether a certificate is any good, how far a handshake is, and hashes.
#ifndef DRAWBRIDGE_GNUTLS_SHIM_H
#define DRAWBRIDGE_GNUTLS_SHIM_H

#include <gnutls/gnutls.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>

#endif
