import { createClient } from '@exam-practice/client'
import { reactNative } from '@exam-practice/client/react-native'
import { web } from '@exam-practice/client/web'

export const page = createClient({ baseUrl: location.origin, platform: web() })

export const phone = (options: Parameters<typeof reactNative>[0]) =>
  createClient({ baseUrl: 'https://exams.example.org', platform: reactNative(options) })
