@description('Names of the zones by what is found in them.')
param zones object

@description('Tags.')
param tags object

@description('Resource id of the virtual network that resolves their names.')
param networkId string

@description('Whether there is a model resource.')
param modelled bool

@description('Whether telemetry goes through a private link scope.')
param monitored bool

@description('Whether the app has a private endpoint.')
param ofApp bool

module blob 'private-zone.bicep' = {
  name: 'zone-blob'
  params: {
    name: zones.blob
    tags: tags
    networkId: networkId
  }
}

module table 'private-zone.bicep' = {
  name: 'zone-table'
  params: {
    name: zones.table
    tags: tags
    networkId: networkId
  }
}

module search 'private-zone.bicep' = {
  name: 'zone-search'
  params: {
    name: zones.search
    tags: tags
    networkId: networkId
  }
}

module cognitive 'private-zone.bicep' = if (modelled) {
  name: 'zone-cognitive'
  params: {
    name: zones.cognitive
    tags: tags
    networkId: networkId
  }
}

module openAI 'private-zone.bicep' = if (modelled) {
  name: 'zone-openai'
  params: {
    name: zones.openAI
    tags: tags
    networkId: networkId
  }
}

module ai 'private-zone.bicep' = if (modelled) {
  name: 'zone-ai'
  params: {
    name: zones.ai
    tags: tags
    networkId: networkId
  }
}

module sites 'private-zone.bicep' = if (ofApp) {
  name: 'zone-sites'
  params: {
    name: zones.sites
    tags: tags
    networkId: networkId
  }
}

module monitor 'private-zone.bicep' = if (monitored) {
  name: 'zone-monitor'
  params: {
    name: zones.monitor
    tags: tags
    networkId: networkId
  }
}

module oms 'private-zone.bicep' = if (monitored) {
  name: 'zone-oms'
  params: {
    name: zones.oms
    tags: tags
    networkId: networkId
  }
}

module ods 'private-zone.bicep' = if (monitored) {
  name: 'zone-ods'
  params: {
    name: zones.ods
    tags: tags
    networkId: networkId
  }
}

module agents 'private-zone.bicep' = if (monitored) {
  name: 'zone-agents'
  params: {
    name: zones.agents
    tags: tags
    networkId: networkId
  }
}
