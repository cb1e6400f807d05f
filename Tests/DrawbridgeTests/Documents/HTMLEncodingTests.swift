import DrawbridgeDocuments
import Testing

/// What a page declares for itself, as browsers find it.
@Suite("The encoding of a page") struct HTMLEncodingTests {
    @Test(arguments: [
        ("<!doctype html><meta charset=gbk><title>x</title>", "gbk"),
        ("<!DOCTYPE html>\n<html>\n<head>\n<META CHARSET=\"UTF-8\" />", "utf-8"),
        ("<meta charset = ' Shift_JIS ' >", "shift_jis"), ("<meta/charset=big5>", "big5"),
        ("<meta name=viewport content='width=1'><meta name=a charset='euc-kr'>", "euc-kr"),
        ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=GB2312\">", "gb2312"),
        ("<meta content='text/html;charset=\"windows-1252\"' http-equiv=content-type>", "windows-1252"),
        ("<meta content='text/html; charset = gb18030; x' http-equiv=content-type>", "gb18030"),
        ("<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"), ("<!--><meta charset=gbk>-->", "gbk"),
        ("<p title='<meta charset=big5>'></p><meta charset=gbk>", "gbk"), ("a < b <meta charset=gbk>", "gbk"),
        ("<meta charset=utf-16le>", "utf-8"), ("\u{FEFF}<meta charset=gbk>", "utf-8"),
        ("<meta charset=gbk charset=big5>", "gbk"), ("</script><meta charset=gbk>", "gbk"),
        ("<script>'<meta charset=big5>'</script><meta charset=gbk>", "gbk"),
        ("<TITLE><</title><meta charset=big5></Title\n><meta charset=gbk>", "big5"),
        // Pages that declare it late: behind kilobytes of script, and where the search ends.
        ("<script>\(String(repeating: "if (a < b) c();", count: 400))</script><meta charset=gbk>", "gbk"),
        (String(repeating: " ", count: (64 << 10) - 18) + "<meta charset=gbk>", "gbk"),
    ])
    func theEncodingIsTheDeclaredOne(page: String, label: String) {
        #expect(HTMLEncoding.declared(in: Array(page.utf8)) == label)
    }

    @Test(arguments: [
        "", "<", "<!", "<!--", "<meta", "<meta ", "<meta charset", "<meta charset=", "<meta charset=>",
        "<meta charset=''>",
        "<meta charset='g\r\nX: y'", "<meta charset=\"{{charset}}\">", "<meta charset='日本'>",
        "<metacharset=gbk>",
        "<meta content='text/html; charset=gbk'>", "<meta http-equiv=refresh content='charset=gbk'>",
        "<meta http-equiv=content-type content='text/html'>", "<!-- <meta charset=gbk> ",
        "<p title='<meta charset=gbk>",
        "<title>über</title>", "<meta charset=\(String(repeating: "a", count: 50))>", "<p charset=gbk>",
        String(repeating: " ", count: 64 << 10) + "<meta charset=gbk>", "<meta charset=gb",
        "</meta charset=gbk>",
        "<meta charset=gbk x='", "<script><meta charset=gbk></script>", "<title><meta charset=gbk>",
        "<style></styles><meta charset=gbk>",
        String(repeating: " ", count: (64 << 10) - 17) + "<meta charset=gbk>",
    ])
    func aPageMayDeclareNoEncoding(page: String) {
        #expect(HTMLEncoding.declared(in: Array(page.utf8)) == nil)
    }

    @Test func theEncodingIsFoundInTheBytes() {
        let title: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3]
        let page = Array("<title>".utf8) + title + Array("</title><meta charset=gbk>".utf8)
        #expect(HTMLEncoding.declared(in: page) == "gbk")
        #expect(HTMLEncoding.declared(in: [0xFF, 0xFE, 0x3C, 0x00]) == "utf-16le")
        #expect(HTMLEncoding.declared(in: [0xFE, 0xFF, 0x00, 0x3C]) == "utf-16be")
    }
}
