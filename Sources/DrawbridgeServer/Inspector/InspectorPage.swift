import CTexts
import Drawbridge

/// The files of the inspector's page, the folder `Page`, by their names.
enum InspectorPage {
    static let files = Texts(inspector_texts()).files
}
