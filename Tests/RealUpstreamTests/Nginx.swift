import Foundation
import TestSupport

/// nginx on a port of its own, with files in a folder of its own.
final class Nginx: Sendable {
    let port: Int
    /// What it serves.
    let files: Folder
    private let folder: Folder
    private let program: Program

    /// Starts it, and waits until it takes connections.
    init() async throws {
        files = try Folder()
        folder = try Folder()
        port = try freePort()
        // One process, which is gone as soon as it is killed.
        let configuration = """
            daemon off;
            master_process off;
            pid nginx.pid;
            error_log stderr warn;
            events { worker_connections 1024; }
            http {
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                access_log off;
                sendfile on;
                keepalive_requests 100000;
                types { text/html html; text/plain txt; application/octet-stream bin; }
                gzip on;
                gzip_min_length 100;
                # Else it compresses nothing for requests with Via.
                gzip_proxied any;
                gzip_types text/plain;
                server {
                    listen 127.0.0.1:\(port);
                    root \(files.path);
                    location /numbered/ {
                        alias \(files.path)/;
                        add_header X-Connection $connection;
                    }
                    location /moved { return 302 http://$http_host/elsewhere?from=$request_uri; }
                }
            }

            """
        let file = try folder.write("nginx.conf", configuration)
        // Not every path of commands leads there.
        program = try Program("/usr/sbin/nginx", ["-p", folder.path, "-c", file, "-e", "stderr"])
        guard await eventually({ (try? RawClient(port)) != nil }) else {
            throw Program.Ended(output: program.output)
        }
    }

    var address: String { "http://127.0.0.1:\(port)" }
}
