import { Format } from 'typebox/format'

/** The name of the account that stands for deleted people, which nobody else may have. */
const GHOST_NAME = 'Deleted Account'

const INVISIBLE = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]+/gu

export function isVisible(name: string): boolean {
  return name.replace(INVISIBLE, '') !== ''
}

/** Whether a person may have this full name, however it is spelt. */
export function isPersonName(name: string): boolean {
  const shown = name.normalize('NFKC').replace(INVISIBLE, '').toLowerCase()
  return shown !== '' && shown !== GHOST_NAME.replace(INVISIBLE, '').toLowerCase()
}

/** Checked by the service; other programs need not know them. */
Format.Set('name', isVisible)
Format.Set('person-name', isPersonName)
