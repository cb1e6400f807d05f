import HTTPGrammar
import HTTPTypes

@testable import DrawbridgeServer

// The fields as tests read them.
extension Forwarding {
    func requestFields(
        _ sent: HTTPFields, from caller: Request, mapping: OutwardMapping? = nil
    ) -> HTTPFields {
        request(sent, from: caller, mapping: mapping).fields
    }

    func responseFields(
        _ sent: HTTPFields, isOldVersion: Bool = false, mapping: ReverseMapping? = nil
    ) -> HTTPFields {
        response(FieldText(sent), isOldVersion: isOldVersion, mapping: mapping).fields
    }
}

extension HopByHop {
    init(in fields: HTTPFields) { self.init(FieldText(fields).value(.connection)) }

    func contains(_ name: HTTPField.Name) -> Bool {
        name.rawName.withBytes { contains(UnsafeRawBufferPointer($0), KnownName(UnsafeRawBufferPointer($0))) }
    }
}

extension FieldText {
    init(_ fields: HTTPFields) {
        self.init()
        for field in fields { append(field) }
    }
}
