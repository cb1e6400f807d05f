import CCurl
import Glibc
import HTTPTypes

/// A handle of libcurl's, used for one transfer after the other.
///
/// Libcurl's callbacks find the transfer through it; it is touched on the client's thread only.
final class Easy {
    private enum Mode {
        case get
        case head
        case upload
    }

    let handle: UnsafeMutableRawPointer
    /// Who uses it now.
    var user: (any EasyUser)?

    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var origin: Origin?
    private var mode = Mode.get
    private var connectLimit = 0
    /// Kept while libcurl reads it.
    private var headers: HeaderBox?

    init(of client: HTTPClient) {
        handle = curl_easy_init()!
        words[0] = 0
        dbc_set_callbacks(
            handle,
            dbc_callbacks(
                header: receiveLine, write: receiveBody, read: fillBody, seek: rewindBody, open: openSocket,
                prepared: isPrepared),
            Unmanaged.passUnretained(self).toOpaque(), words)
        client.watchClosing(of: handle)
        dbc_set_number(handle, CURLOPT_NOSIGNAL, 1)
        dbc_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        dbc_set_number(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        dbc_set_number(handle, CURLOPT_BUFFERSIZE, 32 << 10)
        dbc_set_number(handle, CURLOPT_UPLOAD_BUFFERSIZE, 32 << 10)
        // No other proxy's, whatever the environment says.
        dbc_set_text(handle, CURLOPT_PROXY, "")
    }

    deinit {
        curl_easy_cleanup(handle)
        words.deallocate()
    }

    /// Makes it ready for a transfer.
    func set(_ request: TransferRequest) {
        set(request.origin, connectLimit: request.connectLimit)
        switch request.body {
        case .none:
            if request.method == .head {
                if mode != .head { dbc_set_number(handle, CURLOPT_NOBODY, 1) }
                mode = .head
            } else {
                if mode != .get { dbc_set_number(handle, CURLOPT_HTTPGET, 1) }
                mode = .get
            }
        case .bytes(let bytes): setUpload(bytes.count)
        case .stream(let length): setUpload(length ?? -1)
        }
        dbc_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        dbc_set_text(handle, CURLOPT_REQUEST_TARGET, request.target)
        let headers = HeaderBox(
            HeaderList(host: request.host, request.fields, isWithBody: mode == .upload))
        dbc_set_list(handle, CURLOPT_HTTPHEADER, headers.list.first)
        self.headers = headers
    }

    /// Makes it ready to connect, on a connection that nothing else is ever sent on.
    func setToConnect(_ origin: Origin, connectLimit: Int) {
        set(origin, connectLimit: connectLimit)
        dbc_set_number(handle, CURLOPT_CONNECT_ONLY, 1)
        dbc_set_number(handle, CURLOPT_FRESH_CONNECT, 1)
    }

    private func set(_ origin: Origin, connectLimit: Int) {
        words[0] = 0
        if self.origin != origin {
            dbc_set_text(handle, CURLOPT_URL, origin.url + "/")
            if origin.unixSocket != self.origin?.unixSocket {
                dbc_set_text(handle, CURLOPT_UNIX_SOCKET_PATH, origin.unixSocket)
            }
            dbc_set_number(handle, CURLOPT_SSL_VERIFYPEER, origin.isInsecure ? 0 : 1)
            dbc_set_number(handle, CURLOPT_SSL_VERIFYHOST, origin.isInsecure ? 0 : 2)
            if origin.certificates != self.origin?.certificates {
                dbc_set_text(handle, CURLOPT_CAINFO, origin.certificates)
            }
            self.origin = origin
        }
        if self.connectLimit != connectLimit {
            dbc_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, connectLimit)
            self.connectLimit = connectLimit
        }
    }

    private func setUpload(_ count: Int) {
        if mode != .upload {
            dbc_set_number(handle, CURLOPT_HTTPGET, 1)
            dbc_set_number(handle, CURLOPT_UPLOAD, 1)
        }
        mode = .upload
        dbc_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(count))
    }

    /// Nothing of a transfer is left on it.
    func reset() {
        user = nil
        dbc_set_list(handle, CURLOPT_HTTPHEADER, nil)
        headers = nil
    }

    /// What libcurl's code means for whoever asked.
    func error(_ code: CURLcode, from host: String) -> TransferError {
        let system = dbc_system_error(handle)
        var words = String(cString: self.words)
        if words.isEmpty { words = String(cString: curl_easy_strerror(code)) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return TransferError(.unreachable, "there is no host of the name in \(origin?.url ?? host)")
        case CURLE_COULDNT_CONNECT:
            let why = system == 0 ? words : String(cString: strerror(system))
            return TransferError(.unreachable, "cannot connect to \(host): \(why)")
        case CURLE_OPERATION_TIMEDOUT:
            return .noConnection(to: host, within: connectLimit)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_INVALIDCERTSTATUS:
            return TransferError(.unreachable, "no trusted connection to \(host): \(words)")
        default:
            return TransferError(.malformed, "the answer of \(host) broke off: \(words)")
        }
    }
}

/// A header list that two can hold.
final class HeaderBox {
    let list: HeaderList

    init(_ list: consuming HeaderList) { self.list = list }
}
