import HTTPGrammar
import Testing

/// What Swift takes as a number besides digits is none where people write one.
@Suite struct PlainNumberTests {
    @Test(arguments: ["0", "17", "007", "0.5", "600.25"]) func digitsAreANumber(_ text: String) {
        #expect(Double(plain: text) == Double(text))
        #expect(Int(plain: text) == Int(text))
    }

    @Test(arguments: [
        "", " 1", "1 ", "+1", "-0", "-1", "0x1", "1e3", "nan", "inf", "1.", ".5", "1.2.3", "1_0", "١", "1,5",
    ])
    func allElseIsNot(_ text: String) {
        #expect(Double(plain: text) == nil)
        #expect(Int(plain: text) == nil)
    }

    @Test func whatDoesNotFitIsNot() {
        #expect(Int(plain: "99999999999999999999") == nil)
        #expect(Int(plain: "0.5") == nil)
    }
}
