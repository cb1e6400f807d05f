import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

@Suite("Remembered values") struct RememberedTests {
    @Test func rememberedValuesAreComputedOnceAndLimitedInNumber() {
        let remembered = Remembered<Int, Int>(atMost: 3)
        var asked: [Int] = []
        func value(_ key: Int) -> Int {
            remembered.value(of: key) {
                asked.append(key)
                return key * key
            }
        }
        #expect([1, 2, 1, 2, 3].map(value) == [1, 4, 1, 4, 9])
        #expect(asked == [1, 2, 3])
        // There is no room for a fourth: all are found anew.
        #expect([4, 1, 1].map(value) == [16, 1, 1])
        #expect(asked == [1, 2, 3, 4, 1])
    }

    /// The names of secrets are told as they were the first time, however many others a page makes up.
    @Test func secretNamesStaySecretAfterThousandsOfOtherNames() throws {
        let redaction = Redaction(also: ["iban"])
        let long = String(repeating: "a", count: 100)
        for round in 0..<3 {
            for (name, isSecret) in [
                ("accessToken", true), ("X-Api-Key", true), ("myIban", true), ("tokenize", false),
                ("note", false),
                ("\(long)Token", true), (long, false), ("", false),
            ] { #expect(redaction.isSecret(name) == isSecret, "\(name)") }
            for number in 0..<3000 { #expect(!redaction.isSecret("n\(round)x\(number)")) }
        }
    }
}
